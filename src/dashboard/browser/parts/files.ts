// Files that a person keeps.
/** Hands a file to the browser, which asks for its place or has one. */
export function keepFile(name: string, file: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
