/** A scan before its first host. */

import type { Network } from '../../inventory/networks/api.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Scan } from '../schema.ts'

type Given = Pick<Scan, 'scan_type' | 'exclude_ips'> & { readonly network: Network; readonly total: number }

/** @param given fields that differ from a queued scan of the caller */
export const buildScan = (
  ctx: Ctx,
  { network, total, scan_type, exclude_ips, ...given }: Given & Partial<Scan>,
): Scan => ({
  id: Bun.randomUUIDv7(),
  network_id: network.id,
  status: 'pending',
  scan_type,
  stage: '',
  total_hosts: total,
  scanned_hosts: 0,
  found_hosts: 0,
  progress_percent: 0,
  hosts_per_second: 0,
  exclude_ips,
  error_message: '',
  rule_id: null,
  created_by: ctx.caller.username,
  scanner_id: null,
  scanner_name: '',
  started_at: null,
  completed_at: null,
  created_at: ctx.now,
  updated_at: ctx.now,
  ...given,
})
