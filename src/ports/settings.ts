// Stored state of the service itself, by key.

export type SettingStore = {
  read(key: string): Promise<unknown>
  write(key: string, value: unknown): Promise<void>
}
