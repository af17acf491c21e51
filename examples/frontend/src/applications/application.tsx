import { ApplicationDocument } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { useQuery } from '../page/use-loaded.ts';
import { usePlace, type View } from '../place.ts';
import { Attachment } from './attachment.tsx';
import { Steps } from './steps.tsx';
import { timeOf, type ApplicationProfile } from './use-arrivals.ts';

/** One application: who it is, what was sent, and how far it has come. */
export function Application({ id, back }: { id: string; back: View }) {
  const { go } = usePlace();
  const query = { query: ApplicationDocument, variables: { id } };
  const { data, error, isLoading, reload } = useQuery(query, [id]);
  const profile = data?.candidateProfile;
  return (
    <>
      <button className="back" onClick={() => go(back)}>
        ← Back
      </button>
      {isLoading && !profile && <p role="status">Loading…</p>}
      <Fault error={error} onRetry={reload} />
      {data && !profile && <p className="soft">This application is no longer available.</p>}
      {profile && (
        <div className="columns">
          <Person profile={profile} />
          <Steps profile={profile} />
        </div>
      )}
    </>
  );
}

function Person({ profile }: { profile: ApplicationProfile }) {
  const { name, communication } = profile.candidate.person;
  const contacts = [
    ...communication.email.map(({ address }) => address),
    ...communication.phone.map(({ formattedNumber }) => formattedNumber),
  ];
  return (
    <section aria-labelledby="person" className="stack">
      <h2 id="person">{name.formattedName}</h2>
      <p className="soft">
        {profile.associatedPositionProfile?.positionTitle}, {timeOf(profile.createDateTime)}
      </p>
      <p>{contacts.join(' · ')}</p>
      <h3>Files</h3>
      {profile.attachments.length === 0 && <p className="soft">None</p>}
      {profile.attachments.map((attachment) => (
        <Attachment key={attachment.id.value} attachment={attachment} />
      ))}
    </section>
  );
}
