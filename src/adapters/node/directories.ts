// Makes and closes the directories of the service, which only their owner may read.
import { chmod, lstat, mkdir, mkdtemp, readdir, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from '#lib/values.ts'

/** Makes the directory and its parents. Throws an Error of one line when that fails. */
export async function makeDirectory(path: string): Promise<void> {
  // One by one: where nothing can be made, as in /proc, Node's recursive mkdir repeats without end.
  const missing: string[] = []
  for (let at = resolve(path); !(await isDirectory(at)); at = dirname(at)) missing.unshift(at)
  for (const directory of missing) await makeOne(directory)
}

/** Makes the directory as above, and checks that it can be written to. */
export async function makeWritableDirectory(path: string): Promise<void> {
  await makeDirectory(path)
  try {
    await rmdir(await mkdtemp(join(path, '.probe-')))
  } catch (error) {
    throw new Error(`the directory ${path} cannot be written to (${codeOf(error)})`, { cause: error })
  }
}

const OTHERS = 0o077

/**
 * Removes all rights of other users from a directory, from its named entries and from everything below them. Links are not
 * followed, and a missing entry is skipped. Returns the earlier mode of the directory. Throws an Error of one line when a
 * file that is open to others belongs to another user. Does nothing on Windows, which has no such bits.
 */
export async function closeToOthers(directory: string, entries: readonly string[]): Promise<number> {
  if (process.platform === 'win32') return 0o700
  const { mode } = await stat(directory)
  await closeOne(directory, mode)
  for (const entry of entries) await closeTree(join(directory, entry))
  return mode & 0o777
}

async function closeTree(path: string): Promise<void> {
  const found = await lstat(path).catch((error: unknown) => {
    // The database makes and removes files while another process has it open.
    if (codeOf(error) === 'ENOENT') return null
    throw error
  })
  if (found === null || found.isSymbolicLink()) return
  await closeOne(path, found.mode)
  if (!found.isDirectory()) return
  for (const name of await readdir(path)) await closeTree(join(path, name))
}

async function closeOne(path: string, mode: number): Promise<void> {
  if ((mode & OTHERS) === 0) return
  try {
    await chmod(path, mode & 0o777 & ~OTHERS)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    const bits = (mode & 0o777).toString(8)
    throw new Error(`${path} is open to other users (mode ${bits}) and cannot be closed (${codeOf(error)})`, {
      cause: error,
    })
  }
}

/** Returns false when the path does not exist. */
async function isDirectory(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true
  } catch (error) {
    // A path below a file does not exist either; the file itself is reported when its own turn comes.
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return false
    throw new Error(`the directory ${path} cannot be read (${codeOf(error)})`, { cause: error })
  }
  throw new Error(`${path} is a file, not a directory`)
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it first.
    if (codeOf(error) !== 'EEXIST')
      throw new Error(`the directory ${path} cannot be made (${codeOf(error)})`, { cause: error })
  }
}
