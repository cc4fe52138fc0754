// The file in DATA_DIR by which the command line finds the service that runs with it. It exists while the service runs.
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '#lib/values.ts'

/** `pid` is the process that wrote the file: a process that was killed leaves it behind. */
type RunningService = { readonly operatorUrl: string; readonly pid: number }

const fileIn = (dataDir: string): string => join(dataDir, 'service.json')

/** Says that the operator's API of this process is at the address. Returns a function that removes the file. */
export async function announceService(dataDir: string, operatorUrl: string): Promise<() => Promise<void>> {
  const service: RunningService = { operatorUrl, pid: process.pid }
  const partial = `${fileIn(dataDir)}.${process.pid}`
  await writeFile(partial, `${JSON.stringify(service)}\n`, { mode: 0o600 })
  await rename(partial, fileIn(dataDir))
  return async () => {
    const announced = await read(dataDir)
    // Another process with this directory may have announced itself since.
    if (announced?.pid === process.pid) await rm(fileIn(dataDir), { force: true })
  }
}

/** Returns the address of the operator's API of the service that runs with this directory; null when none runs. */
export async function findService(dataDir: string): Promise<string | null> {
  const announced = await read(dataDir)
  return announced !== null && isRunning(announced.pid) ? announced.operatorUrl : null
}

/** Returns null for a file that is missing or is not as a service writes it. */
async function read(dataDir: string): Promise<RunningService | null> {
  try {
    const { operatorUrl, pid } = Object(JSON.parse(await readFile(fileIn(dataDir), 'utf8')))
    return typeof operatorUrl === 'string' && typeof pid === 'number' ? { operatorUrl, pid } : null
  } catch {
    return null
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
