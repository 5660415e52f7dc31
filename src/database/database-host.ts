/** The servers of a database, and the programs that use it. */

/** Describes one server. */
export type DatabaseHost = {
  /** `db1:5432`; on SQLite the name of this machine. */
  readonly host: string
  /** `away`: it does not answer. `foreign`: of another database, or a primary that was left. */
  readonly role: 'primary' | 'standby' | 'away' | 'foreign'
  /** Bytes of the write-ahead log that a standby has yet to replay; null for the others. */
  readonly lagBytes: number | null
  /** Time since the last commit that a standby has replayed, in ms; 0 if it has all. */
  readonly lagMs: number | null
  /** The reason why it is not used; '' if it is. */
  readonly message: string
}

/** A program that uses the database. */
export type DatabaseInstance = {
  /** The host name and the process id. */
  readonly name: string
  /** Empty if its connections do not have it in their names. */
  readonly version: string
  /** Empty on the machine of the database. */
  readonly address: string
  /** The start of its oldest connection; null if the server does not tell it. */
  readonly since: string | null
  readonly isThis: boolean
}

export type DatabaseStatus = {
  readonly version: string
  readonly sizeBytes: number
  readonly timeline: number | null
  /** True if commits wait for a standby; null on SQLite. */
  readonly commitsWait: boolean | null
  /** Undefined on SQLite: there is only this one. */
  readonly instances: readonly DatabaseInstance[] | undefined
}
