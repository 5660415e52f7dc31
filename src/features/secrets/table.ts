/** The tables that secrets own. */
export type SecretTables = {
  /** One row, which only the right key opens: a start with another one is noticed before it can do harm. */
  secret_checks: { name: string; sealed: string }
}
