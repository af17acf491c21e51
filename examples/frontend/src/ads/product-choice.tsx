import { AdvertisementProductsDocument, type AdvertisementProductsQuery } from '../operations.ts';
import { Fault } from '../page/fault.tsx';
import { useQuery, useSettled } from '../page/use-loaded.ts';
import { usePlace } from '../place.ts';
import { subjectOf, type Draft } from './draft.ts';

/** The products for an ad, with the price of each, which depend on what the ad says. */
export function ProductChoice({ draft }: { draft: Draft }) {
  const { hirer } = usePlace();
  const title = useSettled(draft.title);
  const subject = subjectOf({ ...draft, title }, hirer.hirerId);
  const query = subject && {
    query: AdvertisementProductsDocument,
    variables: { positionProfile: subject },
  };
  const { data, error, isLoading, reload } = useQuery(query, [!subject], JSON.stringify(subject));
  const { information, products = [] } = data?.advertisementProducts ?? {};
  return (
    <fieldset className="wide">
      <legend>Product and price</legend>
      {!subject && <p className="soft">Enter a title, location and category first.</p>}
      {subject && isLoading && products.length === 0 && <p role="status">Loading…</p>}
      {information && <p className="soft">{information}</p>}
      <Fault error={error} onRetry={reload} />
      {products.map((product) => (
        <label key={product.id.value} className="option">
          <input
            type="radio"
            name="productId"
            required
            value={product.id.value}
            defaultChecked={draft.productId ? product.id.value === draft.productId : product.selected}
          />
          <span>
            <strong>{product.label}</strong> {product.price?.summary}
            <small>{pointsOf(product)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

type Product = AdvertisementProductsQuery['advertisementProducts']['products'][number];

function pointsOf({ description, sellingPoints }: Product): string {
  return [description, ...sellingPoints.map(({ text }) => text)].filter(Boolean).join(' · ');
}
