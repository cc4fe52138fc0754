/** The description of `replacesDelegate`. */
export const REPLACES_DELEGATE =
  'The other delegate of the token account, whose permission the transaction takes away: what is paid through it stops. Null where there is none.'
