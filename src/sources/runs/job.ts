/** Builds the job of the process that reads a source, with its secrets in the clear. */
import type { Config } from '../../base/config/config.ts'
import { VERSION } from '../../base/runtime/version.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import { getTargetUrl } from '../checks.ts'
import type { SourceJob, TargetSettings } from '../fetch/protocol.ts'
import type { SourceKind } from '../kinds/source-kind.ts'
import { openSecrets } from '../secrets.ts'
import type { SourceSettings, Stored } from '../store.ts'

export type JobOptions = {
  readonly secrets: Secrets
  readonly config: Pick<Config, 'sourceTargets' | 'ssrfAllowPrivateTargets'>
  readonly now: () => Date
}

type JobSource = {
  readonly stored: Stored
  readonly kind: SourceKind
  /** The hash of the last snapshot that was read. */
  readonly known?: string
}

/** Returns the target of the requests of a source. */
export const buildTarget = (
  { sourceTargets, ssrfAllowPrivateTargets }: Pick<Config, 'sourceTargets' | 'ssrfAllowPrivateTargets'>,
  kind: SourceKind,
  source: Pick<SourceSettings, 'url' | 'allow_private' | 'tls_ca' | 'tls_fingerprint'>,
): TargetSettings => ({
  url: getTargetUrl(kind, source.url),
  allowPrivate: source.allow_private || ssrfAllowPrivateTargets,
  targets: sourceTargets,
  ...{ tlsCa: source.tls_ca, tlsFingerprint: source.tls_fingerprint },
})

/** Returns all that the rows of a source depend on beside its snapshot. */
export const buildSalt = ({ kind, options, ref, include, exclude, places, tags, ...more }: SourceSettings): string =>
  JSON.stringify([VERSION, kind, options, ref, include, exclude, places, tags, more.datacenter_id, more.space_id])

const buildCommon = (kind: SourceKind, source: SourceSettings, now: Date) => ({
  kind: kind.kind,
  options: kind.Options.parse(source.options),
  ref: source.ref,
  nowMs: now.getTime(),
  placing: {
    spaceId: source.space_id,
    places: source.places.map(({ match, space_id }) => ({ match, space_id })),
  },
})

/** @throws SealedValueError if the secrets cannot be opened */
export const buildJob = (
  { secrets, config, now }: JobOptions,
  { stored: { source, sealed }, kind, known = '' }: JobSource,
  what: 'fetch' | 'test',
): SourceJob => ({
  ...buildCommon(kind, source, now()),
  do: what,
  target: buildTarget(config, kind, source),
  secrets: openSecrets(secrets, source.id, sealed),
  timeoutMs: source.timeout_seconds * 1000,
  ...(what === 'fetch' && { repeat: { salt: buildSalt(source), known } }),
})

export const buildPushJob = (kind: SourceKind, source: SourceSettings, now: Date): SourceJob => ({
  ...buildCommon(kind, source, now),
  do: 'push',
})
