// Text for `contains` of Prisma, which leaves the wildcards of LIKE in a text.

/** Returns a text that matches itself only. */
export const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
