/** Rejects with an Error that says `late` when `work` takes longer than `ms`. The work itself is not stopped. */
export async function within<T>(ms: number, late: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(late)), ms)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
