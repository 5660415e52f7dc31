/** Builds the parts of a scan that a scanner receives: the plan without logins, and the logins sealed for it. */
import type { Config } from '../../base/config/config.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import { getNetworkOrThrow } from '../../inventory/networks/networks.ts'
import type { EnrolledScanner } from '../../inventory/scanners/state-row-store.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { sealLogins } from '../../scanner/seal.ts'
import type { SealedLogins, StartedScan } from '../../scanner/wire.ts'
import { findScanUser } from '../scans/credential-user.ts'
import { parseCheckpoint, planFor } from '../scans/plan.ts'
import * as store from '../scans/scan-store.ts'
import { fail } from '../scans/scans.ts'
import type { Given } from './claims.ts'

type Recipient = Pick<EnrolledScanner, 'use_credentials' | 'state'>
type Tools = { readonly config: Config; readonly secrets: Secrets }

const NO_CREDENTIALS = 'no credential is used: the scanner receives none (use_credentials)'

const build = async (
  ctx: Ctx,
  { use_credentials, state: { public_key } }: Recipient,
  { scan, lease }: Given,
  tools: Tools,
): Promise<StartedScan> => {
  const network = await getNetworkOrThrow(ctx, scan.network_id)
  const state = await store.findState(ctx, scan.id)
  const checkpoint = parseCheckpoint(state?.checkpoint ?? '')
  const user = await findScanUser(ctx, scan)
  const wanted = { scan, user, network, checkpoint, isWithoutLogins: !use_credentials }
  const { plan, notes } = await planFor(ctx, wanted, tools)
  const isLacking = scan.scan_type === 'deep' && !use_credentials
  const all = isLacking ? [...notes, NO_CREDENTIALS] : notes
  if (all.length > 0) await ctx.write((tx) => store.addNotes(tx, scan.id, all))
  const { snmp, ssh, hostKeys } = plan
  const sealed: SealedLogins | null =
    snmp.length + ssh.length > 0 ? sealLogins(public_key, { scanId: scan.id, lease }, { snmp, ssh, hostKeys }) : null
  return {
    ...{ scan_id: scan.id, lease, network_id: network.id, network_name: network.name },
    // The folder is one of this machine; the scanner has its own.
    plan: { ...plan, snmp: [], ssh: [], hostKeys: {}, fingerprintsFolder: '' },
    sealed,
  }
}

/** Fails a scan that cannot be given. */
export const buildStarted = async (
  ctx: Ctx,
  recipient: Recipient,
  { given, tools }: { readonly given: Given; readonly tools: Tools },
): Promise<StartedScan | undefined> => {
  const { scan } = given
  try {
    return await build(ctx, recipient, given, tools)
  } catch (error) {
    // The scanner does not name it in its next poll, and so gets it again.
    if (ctx.store.sql.isConnectionLost(error)) throw error
    ctx.log.error('a scan could not be given to a scanner', { scan: scan.id, error })
    await ctx.write((tx) => fail(tx, scan, 'the server could not run it; its log says why'))
    return undefined
  }
}
