// The access rights of the files in a directory.
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the directory and the files below it that another user has any right to, with their modes. */
export function openToOthers(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  return [directory, ...entries.map(({ parentPath, name }) => join(parentPath, name))].flatMap((path) => {
    const mode = lstatSync(path).mode & 0o777
    return (mode & 0o077) === 0 ? [] : [`${path} ${mode.toString(8)}`]
  })
}
