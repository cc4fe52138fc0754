// Followers of one subject that are at the same place share a reading.

export type SharedReadings<Place, Result> = {
  /** Readings of the subject that are under way are not shared any more, because they may lack the last change. */
  forget(subject: string): void
  after(subject: string, place: Place): Promise<Result>
}

/** `keyOf` names a place of a subject. */
export function createSharedReadings<Place, Result>(
  keyOf: (place: Place) => string,
  read: (subject: string, place: Place) => Promise<Result>,
): SharedReadings<Place, Result> {
  const underWay = new Map<string, Map<string, Promise<Result>>>()
  return {
    forget: (subject) => void underWay.delete(subject),
    after(subject, place) {
      const key = keyOf(place)
      const own = underWay.get(subject) ?? new Map<string, Promise<Result>>()
      const shared = own.get(key)
      if (shared !== undefined) return shared
      underWay.set(subject, own)
      const reading = read(subject, place).finally(() => {
        own.delete(key)
        if (own.size === 0 && underWay.get(subject) === own) underWay.delete(subject)
      })
      own.set(key, reading)
      return reading
    },
  }
}
