/** The targets of webhooks with their secrets in clear, and the way to each: a request, or a mail. */
import type { Secrets } from '../../base/security/crypto.ts'
import type { Outbound } from '../../base/security/outbound.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type Sent, send, type Target, toSent } from '../webhooks/attempt.ts'
import { buildSecretPlace } from '../webhooks/changes.ts'
import type { Due } from '../webhooks/delivery-store.ts'
import { openHeaders } from '../webhooks/headers.ts'
import * as store from '../webhooks/store.ts'
import { toRequestUrl } from './formats.ts'
import type { Mailer } from './mail.ts'
import { listUrlSecrets, openUrl } from './secret-url.ts'

/** The age of settings that are still used, so that deliveries of one object need not wait for them one by one. */
const CURRENT_MS = 10
const NO_SERVER = 'this server has no SMTP_URL and SMTP_FROM'

export type CurrentTarget = Target & { readonly enabled: boolean }

export type Delivered = Pick<Due, 'id' | 'event' | 'body' | 'change_id'>

export type Targets = {
  readonly build: (stored: store.Stored) => CurrentTarget
  /** Returns the current settings; undefined for a deleted webhook. */
  readonly loadCurrent: (ctx: Ctx, id: string) => Promise<CurrentTarget | undefined>
  readonly send: (target: Target, delivery: Delivered, signal?: AbortSignal) => Promise<Sent>
}

type Options = {
  readonly secrets: Secrets
  readonly outbound: Outbound
  /** Undefined on a server without SMTP. */
  readonly mailer: Mailer | undefined
  readonly userAgent: string
  readonly now: () => Date
}

export const createTargets = ({ secrets, outbound, mailer, userAgent, now }: Options): Targets => {
  const build = ({ webhook, sealed, headers, sealedUrl }: store.Stored): CurrentTarget => {
    const { id, format, timeout_seconds, enabled } = webhook
    const url = openUrl(secrets, id, { url: webhook.url, sealedUrl })
    return {
      ...{ format, timeout_seconds, enabled, url: toRequestUrl(format, url), urlSecrets: listUrlSecrets(format, url) },
      headers: openHeaders(secrets, id, headers),
      secret: sealed === null ? null : secrets.open(buildSecretPlace(id), sealed),
    }
  }

  type Known = { readonly revision: string; readonly target: CurrentTarget; readonly askedMs: number }
  const known = new Map<string, Known>()

  /** Reading the revision of webhooks is cheaper than reading a webhook. */
  const loadCurrent = async (ctx: Ctx, id: string): Promise<CurrentTarget | undefined> => {
    const askedMs = performance.now()
    const last = known.get(id)
    if (last && askedMs < last.askedMs + CURRENT_MS) return last.target
    const revision = await ctx.store.revision(['webhooks'])
    if (last?.revision === revision) {
      known.set(id, { ...last, askedMs })
      return last.target
    }
    const stored = await store.find({ db: ctx.store.read }, id)
    const target = stored && build(stored)
    // Deleted webhooks are not cached.
    if (target) known.set(id, { revision, target, askedMs })
    else known.delete(id)
    return target
  }

  const sendMail = async (target: Target, delivery: Delivered, signal?: AbortSignal): Promise<Sent> => {
    const at = now()
    if (!mailer) return { at, durationMs: 0, answer: undefined, error: NO_SERVER, isMail: true }
    const began = performance.now()
    const answer = await mailer.send({
      ...{ id: delivery.id, url: target.url, body: delivery.body, userAgent },
      timeoutMs: target.timeout_seconds * 1000,
      ...(signal ? { signal } : {}),
    })
    return toSent(answer, { at, durationMs: Math.round(performance.now() - began) })
  }

  return {
    build,
    loadCurrent,
    send: (target, delivery, signal) =>
      target.format === 'email'
        ? sendMail(target, delivery, signal)
        : send(outbound, target, delivery, { at: now(), userAgent, ...(signal ? { signal } : {}) }),
  }
}
