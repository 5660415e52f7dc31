/** The requests of a source as they leave Plat: to the addresses that its settings allow, with its certificates. */
import { createOutbound, type Outbound } from '../../base/security/outbound.ts'
import type { TargetRules } from '../../base/security/outbound-target.ts'
import type { SecretValues } from '../kinds/source-kind.ts'
import type { FetchLog } from './fetch-log.ts'
import type { TargetSettings } from './protocol.ts'
import { createSourceRules, getUnixPath } from './target.ts'

export type SendSettings = {
  readonly target: TargetSettings
  readonly secrets: SecretValues
  readonly log: Pick<FetchLog, 'certificate'>
  /** The rules of addresses; the default follows from the settings. */
  readonly rules?: TargetRules
}

export const createSend = ({ target, secrets, log, rules }: SendSettings): Outbound['exchange'] => {
  const { url, tlsCa, tlsFingerprint } = target
  const unixPath = getUnixPath(url)
  const { client_certificate: clientCertificate, client_key: clientKey } = secrets
  return createOutbound({
    rules: rules ?? createSourceRules(target),
    connection: {
      ...(unixPath === undefined ? {} : { unixPath }),
      ...(tlsCa === '' ? {} : { ca: tlsCa }),
      ...(tlsFingerprint === '' ? {} : { fingerprint: tlsFingerprint }),
      ...(clientCertificate && clientKey ? { clientCertificate, clientKey } : {}),
      onCertificate: (certificate) => {
        log.certificate = certificate
      },
    },
  }).exchange
}
