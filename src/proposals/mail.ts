/**
 * Mails the author of a proposal when another user merges, rejects or comments on it. Best effort: each instance sends the news of its own
 * transactions once, and none after a crash.
 */
import type { Config } from '../base/config/config.ts'
import type { Logger } from '../base/runtime/log.ts'
import { getErrorMessage, isRecord, toText } from '../contract/unknown.ts'
import type { Ctx, Feature } from '../kernel/ctx.ts'
import type { Recorded } from '../record/events/record.ts'
import { cleanText } from '../record/notifications/clean-text.ts'
import { createMailer } from '../record/notifications/mail.ts'

const EVERY_MS = 10_000
const TIMEOUT_MS = 10_000
/** The most news that wait for the job. */
const MAX_WAITING = 1000
/** The most mails of one run, so that a slow mail server holds up none of the other jobs for long. */
const MAX_SENT = 20
/** The last events among which one is looked up. An event of a rolled back transaction is missing. */
const MAX_LATER_EVENTS = 100_000
const MAX_TITLE = 120
const MAX_TEXT = 2000

type News = Pick<Recorded, 'event' | 'resource_id' | 'created_at'> & { readonly subject: string; readonly text: string }

const DEEDS: Readonly<Record<string, string>> = {
  'proposal.commented': 'has a comment',
  'proposal.merged': 'was merged',
  'proposal.closed': 'was rejected',
}

type MailOptions = {
  readonly config: Pick<Config, 'publicUrl' | 'smtpUrl' | 'smtpFrom'>
  readonly log: Logger
  readonly version: string
}

/** Returns the news for the author in an event, if it has any. */
const toNews = ({ event, resource_id, created_at, data }: Recorded, publicUrl: string | undefined): News[] => {
  const deed = DEEDS[event]
  const proposal: unknown = deed === undefined ? undefined : JSON.parse(data)
  if (!isRecord(proposal)) return []
  const { author, username, close_reason, title, number, text } = proposal
  const isOther = username !== '' && username !== author
  if (!isOther || (event === 'proposal.closed' && close_reason !== 'rejected')) return []
  const head = `Proposal ${Number(number)} ${deed} by ${cleanText(toText(username), MAX_TITLE)}`
  const link = publicUrl === undefined ? [] : [`${publicUrl}/proposals/${Number(number)}`]
  const said = cleanText(toText(text), MAX_TEXT)
  const lines = [`${head}: ${cleanText(toText(title), MAX_TITLE)}`, ...(said === '' ? [] : [said]), ...link]
  return [{ event, resource_id, created_at, subject: `[Plat] ${head}`, text: lines.join('\n\n') }]
}

const isCommitted = async ({ db }: Ctx, { event, resource_id, created_at }: News): Promise<boolean> => {
  const last = db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1)
  const { seq = 0 } = (await last.executeTakeFirst()) ?? {}
  const found = await db
    .selectFrom('events')
    .select('seq')
    .where('seq', '>', Number(seq) - MAX_LATER_EVENTS)
    .where('event', '=', event)
    .where('resource_id', '=', resource_id)
    .where('created_at', '=', created_at)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

const findAddress = async ({ db }: Ctx, proposalId: string): Promise<string | undefined> => {
  const user = await db
    .selectFrom('proposals')
    .innerJoin('users', 'users.id', 'proposals.author_id')
    .select('users.email')
    .where('proposals.id', '=', proposalId)
    .where('users.is_active', '=', 1)
    .executeTakeFirst()
  // A list of recipients is separated by commas.
  return user && /^[^\s,<>]+@[^\s,<>]+$/.test(user.email) ? user.email : undefined
}

export const proposalMailFeature = ({ config, log, version }: MailOptions): Feature => {
  const mailer = createMailer(config)
  if (!mailer) return { operations: [] }
  let waiting: News[] = []

  const sendOne = async (ctx: Ctx, news: News): Promise<void> => {
    const address = (await isCommitted(ctx, news)) ? await findAddress(ctx, news.resource_id) : undefined
    if (address === undefined) return
    const { error } = await mailer.send({
      ...{ id: Bun.randomUUIDv7(), url: `mailto:${address}`, timeoutMs: TIMEOUT_MS },
      ...{ body: JSON.stringify({ subject: news.subject, text: news.text }), userAgent: `Plat/${version}` },
    })
    if (error !== '') log.warn('a mail about a proposal was not sent', { proposal: news.resource_id, error })
  }

  return {
    operations: [],
    reactions: {
      'event.recorded': async (_, recorded: readonly Recorded[]) => {
        const news = recorded.flatMap((one) => toNews(one, config.publicUrl))
        if (news.length > 0) waiting = [...waiting, ...news].slice(-MAX_WAITING)
      },
    },
    jobs: [
      {
        name: 'proposals.mail',
        summary: 'Mails the authors of proposals that were merged, rejected or commented',
        everyMs: EVERY_MS,
        onEveryInstance: true,
        run: async (ctx) => {
          const due = waiting.slice(0, MAX_SENT)
          waiting = waiting.slice(MAX_SENT)
          for (const news of due)
            await sendOne(ctx, news).catch((error: unknown) =>
              log.warn('a mail about a proposal was not sent', { error: getErrorMessage(error) }),
            )
        },
      },
    ],
  }
}
