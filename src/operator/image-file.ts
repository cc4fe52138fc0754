import { readFileSync } from 'node:fs'
import { Failure, MISUSED } from '#operator/failure.ts'

/** Returns the file in base64. Throws Failure where it cannot be read. */
export function readImage(path: string): string {
  try {
    return readFileSync(path, 'base64')
  } catch {
    throw new Failure(`${path} cannot be read`, MISUSED)
  }
}
