/**
 * Transfers a zone from its server. A transfer that is too large, malformed or without an end costs much, so the next one waits longer
 * each time. It is counted before it begins: one that ends the process counts too.
 */

import type { Ctx } from '../../../kernel/ctx.ts'
import type { DnsClient } from '../../client/client.ts'
import { DnsError, type DnsErrorKind } from '../../client/dns-error.ts'
import * as store from '../store.ts'
import type { Run } from './run.ts'
import { fetchServerRrsets, type Transferred } from './server-rrsets.ts'

const MINUTE_MS = 60_000
/** The waits after the first failure, the second and so on. The last one is repeated. */
const WAITS_MS = [1, 5, 15, 60, 360, 1440].map((minutes) => minutes * MINUTE_MS)

/** @param failures transfers that have failed before this one */
const getWaitMs = (failures: number): number => WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? MINUTE_MS

const COSTLY: ReadonlySet<DnsErrorKind> = new Set(['too_large', 'bad_answer', 'cut_off'])

/** A transfer that cost much. It is on record, and so is the time of the next one. */
export class TransferFailedError extends DnsError {}

export type TransferOptions = {
  readonly now: () => Date
  /** Emitted once, when a zone begins to fail. */
  readonly onFailed: (ctx: Ctx, zoneId: string) => Promise<void>
  readonly signal: AbortSignal
}

/** True while the next transfer waits because earlier ones have failed. */
export const isWaiting = ({ transfer_failures, check_ms }: store.ZoneState, now: Date): boolean =>
  transfer_failures > 0 && check_ms > now.getTime()

/** @throws TransferFailedError, and other DnsErrors */
export const transferZone = async (run: Run, client: DnsClient, options: TransferOptions): Promise<Transferred> => {
  const { ctx, write, zone } = run
  const { transfer_failures = 0, check_ms = 0 } = (await store.findState(ctx, zone.id)) ?? {}
  const nextMs = options.now().getTime() + getWaitMs(transfer_failures)
  const begun = { transfer_failures: transfer_failures + 1, check_ms: nextMs }
  await write((inner) => store.updateState(inner, zone.id, begun))
  try {
    const transferred = await fetchServerRrsets(client, zone.name, options.signal)
    await write((inner) => store.updateState(inner, zone.id, { transfer_failures: 0, transfer_error: '', check_ms }))
    return transferred
  } catch (error) {
    if (!(error instanceof DnsError && COSTLY.has(error.kind))) {
      await write((inner) => store.updateState(inner, zone.id, { transfer_failures, check_ms }))
      throw error
    }
    await write(async (inner) => {
      const state = await store.findState(inner, zone.id)
      await store.updateState(inner, zone.id, { transfer_error: error.message })
      if (state?.error === '' && state.transfer_error === '') await options.onFailed(inner, zone.id)
    })
    throw new TransferFailedError(error.kind, error.message, { cause: error })
  }
}
