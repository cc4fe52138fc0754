const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns whether a store can be asked for it at all: a database refuses to compare its ids with anything else. */
export const isUuid = (text: string): boolean => UUID.test(text)
