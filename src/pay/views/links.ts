// Addresses and transactions as people see them.

/** Returns both ends of an address or a signature. */
export const shortened = (text: string): string => `${text.slice(0, 6)}…${text.slice(-6)}`
