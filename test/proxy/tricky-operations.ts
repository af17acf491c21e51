const PROFILE_PATH = 'positionOrganizations.id.value';
/** Files of operations whose caller can skip the field that proves ownership, and that read two objects at once. */
export const TRICKY = {
  'skipped.graphql': `query Skipped($id: String!, $x: Boolean!) @hirer(path: "positionProfile.${PROFILE_PATH}")
    @token(use: PARTNER) { positionProfile(id: $id) {
      positionOrganizations @skip(if: $x) { id { value } } ...Title @include(if: $x) } }
    fragment Title on PositionProfile { positionTitle positionOrganizations @skip(if: $x) { name } }`,
  'two.graphql': `query Two($own: String!, $id: String!) @hirer(path: "own.${PROFILE_PATH}")
    @hirer(path: "other.${PROFILE_PATH}") @token(use: PARTNER) {
      own: positionProfile(id: $own) { ...Owner } other: positionProfile(id: $id) { positionTitle ...Owner } }
    fragment Owner on PositionProfile { positionOrganizations { id { value } } }`,
};
