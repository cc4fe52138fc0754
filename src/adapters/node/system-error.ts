/** What the system calls its refusal, such as ENOENT; undefined where an error is not the system's. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
