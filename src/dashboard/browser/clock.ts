/** Returns the present time of the reader's device. */
export const now = (): Date => new Date()
