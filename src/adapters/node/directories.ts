// Directories that the service keeps things in, for their owner only.
import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from './system-error.ts'

/** Makes the directory and those above it. Throws an Error of one line when it cannot be. */
export async function makeDirectory(path: string): Promise<void> {
  // One by one: where nothing can be made, as in /proc, Node's own recursive way tries again for ever.
  const missing: string[] = []
  for (let at = resolve(path); !(await isDirectory(at)); at = dirname(at)) missing.unshift(at)
  for (const directory of missing) await makeOne(directory)
}

/** The same, and sees that it can be written to. */
export async function makeWritableDirectory(path: string): Promise<void> {
  await makeDirectory(path)
  try {
    await rmdir(await mkdtemp(join(path, '.probe-')))
  } catch (error) {
    throw new Error(`the directory ${path} cannot be written to (${codeOf(error)})`, { cause: error })
  }
}

/** False when nothing is there. */
async function isDirectory(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true
  } catch (error) {
    // Below a file is nothing either; that file is complained of when it is come to.
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return false
    throw new Error(`the directory ${path} cannot be read (${codeOf(error)})`, { cause: error })
  }
  throw new Error(`${path} is a file, not a directory`)
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have been quicker.
    if (codeOf(error) !== 'EEXIST')
      throw new Error(`the directory ${path} cannot be made (${codeOf(error)})`, { cause: error })
  }
}
