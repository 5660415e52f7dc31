/** The tables of secrets. */
export type SecretTables = {
  /** One row that only the right key opens, so that a start with another key is detected. */
  secret_checks: { name: string; sealed: string }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends SecretTables {}
}
