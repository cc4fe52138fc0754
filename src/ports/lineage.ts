// What the database says about itself.

/** A standby of the database. `isSynchronous`: a commit waits for it. null when the role of the service may not see it. */
export type Standby = { readonly name: string; readonly isSynchronous: boolean | null }

export type DatabaseLineage = {
  /**
   * Returns the timeline of the database: another one after a standby took over, or a backup was restored to a point in time. Rows
   * of the last moment may be lost then.
   */
  timeline(): Promise<string>
  /** Returns the standbys that are connected. */
  standbys(): Promise<readonly Standby[]>
}
