/** The tables of sources, their runs and their objects. */
export type SourceRow = {
  id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  kind: string
  url: string
  /** JSON. */
  options: string
  /** JSON by name, sealed; null without any. */
  secrets: string | null
  /** JSON: the sorted names of the secrets. */
  secrets_set: string
  enabled: number
  mode: string
  interval_minutes: number
  timeout_seconds: number
  allow_private: number
  tls_ca: string
  tls_fingerprint: string
  /** JSON: lists of texts. */
  include: string
  exclude: string
  datacenter_id: string | null
  space_id: string | null
  /** JSON: `PlaceRule[]`. */
  places: string
  /** JSON: a list of texts. */
  tags: string
  /** JSON: the name of a custom field by fact. */
  custom: string
  ref: string
  when_gone: string
  gone_after_hours: number
  max_gone_percent: number
  description: string
  created_at: string
  updated_at: string
}

/** The state that runs write; a change of the settings never waits for it. */
export type SourceStateRow = {
  source_id: string
  /** The status that events were last sent of. */
  status: string
  message: string
  is_held: number
  product: string
  /** The hash of the last snapshot that was read; '' if it must be converted again. */
  snapshot_hash: string
  failures: number
  /** Changes with each setting that ends a running run. */
  generation: number
  next_run_ms: number | null
  last_run_at: string | null
  last_success_at: string | null
  /** The lease: see `kernel/jobs/leases.ts`. */
  holder: string
  until_ms: number
}

export type SourceRunRow = {
  id: string
  source_id: string
  trigger: string
  status: string
  result: string
  product: string
  /** JSON of `SourceRun.read`, `counts`, `left`, `warnings` and the log. */
  read: string
  counts: string
  left_over: string
  warnings: string
  log: string
  requests: number
  bytes: number
  error_code: string
  message: string
  change_id: string
  /** 1: it applies; `force`: although too many are gone. */
  applies: number
  force: number
  created_at: string
  started_at: string | null
  completed_at: string | null
}

export type SourceObjectRow = {
  source_id: string
  resource: string
  key: string
  type: string
  place: string
  name: string
  name_key: string
  name_order: string
  object_id: string | null
  state: string
  action: string
  /** The row with sorted keys, as JSON. */
  row: string
  /** The row that was last applied, where it differs; '' for the same; null for none. */
  base: string | null
  /** JSON: the fields that an apply would write, and the kept ones. */
  diff: string
  why: string
  because: string
  message: string
  /** JSON. */
  facts: string
  /** JSON: the MAC addresses by which a device is found. */
  macs: string
  /** Above 0: it is judged again. Each mark adds 1, so that a mark during a judgment is not lost. */
  is_stale: number
  missing_since: string | null
  first_seen_at: string
  updated_at: string
}

export type SourceTables = {
  sources: SourceRow
  source_states: SourceStateRow
  source_runs: SourceRunRow
  source_objects: SourceObjectRow
}

declare module '../database/tables.ts' {
  interface OwnTables extends SourceTables {}
}
