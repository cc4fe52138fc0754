import { randomBytes, randomUUID } from 'node:crypto'
import type { Random } from '#ports/random.ts'

export const random: Random = {
  bytes: (length) => randomBytes(length),
  uuid: () => randomUUID(),
  fraction: () => Math.random(),
}
