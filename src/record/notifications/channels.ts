/** The channels of a server: composes the messages that are due, and tells what waits. */
import type { Config } from '../../base/config/config.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import type { Tables } from '../../database/tables.ts'
import { settings } from '../../kernel/changes/settings.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Waiting, Webhook } from '../webhooks/schema.ts'
import * as store from '../webhooks/store.ts'
import { compose } from './compose.ts'
import { findNextMessage, isDue, mayBeDue } from './due.ts'
import * as entries from './entry-store.ts'
import { renderMessage } from './formats.ts'
import type { Message } from './message.ts'
import type { ReportExtract, Reports } from './reports.ts'
import { openUrl } from './secret-url.ts'

const MAX_SHOWN = 100
/** The pause of a channel after an error, such as a URL that cannot be decrypted. */
const REST_MS = 30_000

type Options = {
  readonly config: Pick<Config, 'publicUrl'>
  readonly secrets: Secrets
  readonly reports: Reports
  readonly now: () => Date
}

/** The enabled webhooks that send messages. */
const channels = settings<Tables, readonly Webhook[]>('notification channels', ['webhooks'], (scope) =>
  store.findChannels(scope),
)

export type Channels = {
  /** Composes a message for each channel for which one is due. `ctx` is that of a job. */
  readonly composeDue: (ctx: Ctx) => Promise<void>
  /** Reads the reports of the digest of a channel, over the whole estate. */
  readonly readReports: (ctx: Ctx, webhook: Webhook) => Promise<readonly ReportExtract[]>
  /** Composes what waits, whatever the rules say. @returns the id of the delivery; undefined if nothing waits */
  readonly flush: (ctx: Ctx, id: string, reports: readonly ReportExtract[]) => Promise<string | undefined>
  /** @param maySee true for an event that the caller may see */
  readonly findWaiting: (ctx: Ctx, webhook: Webhook, maySee: (event: string) => boolean) => Promise<Waiting>
  /** Returns the body of a test message. */
  readonly renderTest: (stored: store.Stored) => string | undefined
}

export const createChannels = ({ config: { publicUrl }, secrets, reports, now }: Options): Channels => {
  const getUrl = ({ webhook, sealedUrl }: store.Stored): string =>
    openUrl(secrets, webhook.id, { url: webhook.url, sealedUrl })

  type Composing = { readonly id: string; readonly read: readonly ReportExtract[]; readonly isForced: boolean }

  const composeOne = async (ctx: Ctx, { id, read, isForced }: Composing): Promise<string | undefined> => {
    // Two instances must not tell of one event.
    await ctx.lock('notifications', [id])
    const stored = await store.find(ctx, id)
    if (!stored?.webhook.enabled) return undefined
    const nowMs = now().getTime()
    if (!isForced && !(await isDue(ctx, stored.webhook, nowMs))) return undefined
    return compose(ctx, { webhook: stored.webhook, url: getUrl(stored), publicUrl, nowMs, reports: read, isForced })
  }

  const readReports: Channels['readReports'] = async (ctx, { digest, reports: names }) =>
    digest === '' || names.length === 0 ? [] : reports.read(ctx, names)

  /** Until when channels rest, by the clock of `performance`. */
  const resting = new Map<string, number>()

  return {
    readReports,
    composeDue: async (ctx) => {
      const all = await channels.current(ctx)
      if (all.length === 0) return
      const scope = { db: ctx.store.read }
      const oldest = await entries.findOldestOfEach(
        scope,
        all.map(({ id }) => id),
      )
      for (const webhook of all) {
        const nowMs = now().getTime()
        if (!mayBeDue(webhook, oldest.get(webhook.id), nowMs)) continue
        if ((resting.get(webhook.id) ?? 0) > performance.now()) continue
        resting.delete(webhook.id)
        try {
          if (!(await isDue(scope, webhook, nowMs))) continue
          const read = await readReports(ctx, webhook)
          await ctx.write((inner) => composeOne(inner, { id: webhook.id, read, isForced: false }))
        } catch (error) {
          // Its events wait on; the other channels are independent of it.
          ctx.log.error('a message of a webhook could not be composed', { webhook_id: webhook.id, error })
          resting.set(webhook.id, performance.now() + REST_MS)
        }
      }
    },
    flush: (ctx, id, read) => composeOne(ctx, { id, read, isForced: true }),
    findWaiting: async (ctx, webhook, maySee) => {
      const { id, enabled, format } = webhook
      const rows = await entries.listFirst(ctx, id, MAX_SHOWN)
      const isOff = !enabled || format === 'generic'
      return {
        count: await entries.countEntries(ctx, id),
        next_message_at: isOff ? null : await findNextMessage(ctx, webhook, now().getTime()),
        entries: rows.map(({ event, resource_id, line, created_at }) => {
          const isSeen = maySee(event)
          return { event, resource_id: isSeen ? resource_id : '', text: isSeen ? line : '', created_at }
        }),
      }
    },
    renderTest: (stored) => {
      const { format, name } = stored.webhook
      if (format === 'generic') return undefined
      const message: Message = {
        title: 'A test from Plat',
        lines: [{ text: `The webhook ${name} works: messages arrive here.`, link: '' }],
        ...{ more: 0, severity: 'info', link: publicUrl ?? '', at: now().toISOString() },
      }
      return renderMessage(format, message, getUrl(stored))
    },
  }
}
