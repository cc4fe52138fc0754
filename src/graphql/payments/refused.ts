/** A field that can be refused is nullable, so that one refusal does not take the results of the other fields with it. */
export const REFUSED = 'Null when it is refused: `errors` has the reason.'
