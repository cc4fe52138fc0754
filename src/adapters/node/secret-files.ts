// Reads and makes the files of secrets, which only their owner may read.
import { link, mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '#lib/values.ts'
import { makeWritableDirectory } from './directories.ts'

export type SecretFile = {
  /** Without leading and trailing white space. */
  readonly secret: string
  /** True when this call made it. */
  readonly created: boolean
  /** A sentence for the operator when others can read the file; null when all is well. */
  readonly warning: string | null
}

/** Throws an Error of one line, without the secret, when the file is missing, unreadable or empty. */
export async function readSecretFile(path: string): Promise<SecretFile> {
  const found = await readIfThere(path)
  if (found === null) throw new Error(`there is no file ${path}`)
  return found
}

/**
 * Returns the secret in the file, or a new one from `make`, which is stored before it is returned. Concurrent processes all
 * get the same secret, and the file is complete even when one of them dies. Throws like readSecretFile.
 */
export async function readOrCreateSecretFile(path: string, make: () => string): Promise<SecretFile> {
  const found = await readIfThere(path)
  if (found !== null) return found
  await makeWritableDirectory(dirname(path))
  const workplace = await mkdtemp(join(dirname(path), '.new-'))
  const draft = join(workplace, 'secret')
  try {
    await createSecretFile(draft, make())
    // Unlike a rename, a link never replaces what another process has put there meanwhile.
    await link(draft, path)
    await syncDirectory(dirname(path))
    return { ...(await readSecretFile(path)), created: true }
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    return await readSecretFile(path)
  } finally {
    await rm(workplace, { recursive: true, force: true })
  }
}

async function readIfThere(path: string): Promise<SecretFile | null> {
  try {
    const secret = (await readFile(path, 'utf8')).trim()
    if (secret === '') throw new Error(`the file ${path} is empty`)
    return { secret, created: false, warning: await judgeMode(path) }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw codeOf(error) === undefined ? error : new Error(`the file ${path} cannot be read (${codeOf(error)})`)
  }
}

async function judgeMode(path: string): Promise<string | null> {
  // Windows has no such bits: the directory decides who may read.
  if (process.platform === 'win32') return null
  const { mode } = await stat(path)
  return (mode & 0o077) === 0 ? null : `Others on this machine can read ${path}: run chmod 600 on it.`
}

/**
 * Writes a new file that only its owner may read. Throws when the file exists. Flushes it to disk: a seed that has given out
 * addresses must survive a power failure.
 */
export async function createSecretFile(path: string, secret: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(`${secret}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
