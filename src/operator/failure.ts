/** How the command ends when it does not do what was asked: a line for a person, and two codes for a script. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exitCode: ExitCode
  /** The service's own code of a refusal, or one of the command's. */
  readonly code: string

  constructor(message: string, exitCode: ExitCode, code: string = CODES[exitCode]) {
    super(oneLine(message))
    this.exitCode = exitCode
    this.code = code
  }
}

export const REFUSED = 1
export const MISUSED = 2
export const UNREACHABLE = 3
export type ExitCode = typeof REFUSED | typeof MISUSED | typeof UNREACHABLE

/** What a failure is called when nothing says more. */
const CODES: Readonly<Record<ExitCode, string>> = {
  [REFUSED]: 'refused',
  [MISUSED]: 'invalid_arguments',
  [UNREACHABLE]: 'service_unreachable',
}

export const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ')

/** Returns how a failure is printed with --json. */
export const failureJson = ({ code, message }: Pick<Failure, 'code' | 'message'>): string =>
  JSON.stringify({ error: { code, message } })
