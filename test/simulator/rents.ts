// The rents of the simulated chain, which change during a run.

const RENT = 3_480n
/** In lamports for each byte and year. */
export const RENTS: readonly bigint[] = [RENT / 2n, RENT, RENT * 2n]
/** In lamports, for an account without data: its 128 bytes of overhead for two years. */
export const RENT_MINIMUMS: readonly bigint[] = RENTS.map((rent) => rent * 128n * 2n)
