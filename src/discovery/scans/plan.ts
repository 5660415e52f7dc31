/** Builds the plan of a scanner. The only place that decrypts credentials for it; they go into the plan and nowhere else. */

import type { Config } from '../../base/config/config.ts'
import { SealedValueError, type Secrets } from '../../base/security/crypto.ts'
import { AppError } from '../../contract/errors.ts'
import type { Network } from '../../inventory/networks/api.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { formatCidr, parseCidrOrThrow } from '../../net/cidr.ts'
import type { Checkpoint, ScanPlan, SnmpLogin, SshLogin } from '../../scanner/protocol.ts'
import { type OpenCredential, openCredential } from '../../secrets/credentials/credentials.ts'
import * as store from '../credential-store.ts'
import type { Scan } from '../schema.ts'
import { type ScanUser, selectCredentials } from './credential-user.ts'
import { splitExcludes } from './scan-rules.ts'

export type Planned = {
  readonly plan: ScanPlan
  /** For the log of the scan: which credentials it has to do without, and why. */
  readonly notes: readonly string[]
}

const toSnmpLogin = (
  { id, username, auth_protocol, priv_protocol, type, secret }: OpenCredential,
  ip: string,
): SnmpLogin | undefined => {
  if (type === 'snmp_v2c') return { version: 'v2c', credentialId: id, community: secret.community ?? '', ip }
  if (type !== 'snmp_v3') return undefined
  return {
    version: 'v3',
    credentialId: id,
    username,
    authProtocol: auth_protocol,
    authPassword: secret.auth_password ?? '',
    privProtocol: priv_protocol,
    privPassword: secret.priv_password ?? '',
    ip,
  }
}

const toSshLogin = ({ id, username, secret }: OpenCredential, ip: string): SshLogin => ({
  credentialId: id,
  username,
  password: secret.password ?? '',
  privateKey: secret.private_key ?? '',
  passphrase: secret.passphrase ?? '',
  ip,
})

type Logins = { readonly snmp: SnmpLogin[]; readonly ssh: SshLogin[]; readonly notes: string[] }

/** The most credentials of a scan. */
const MAX_CREDENTIALS = 200

const findLogins = async (
  ctx: Ctx,
  { network, user }: Pick<Wanted, 'network' | 'user'>,
  { config, secrets }: { config: Config; secrets: Secrets },
): Promise<Logins> => {
  const { credentials, notes } = await selectCredentials(ctx, user, await store.findCredentials(ctx, network.id))
  const logins: Logins = { snmp: [], ssh: [], notes: [...notes] }
  for (const { id, name, type, device_id } of credentials.slice(0, MAX_CREDENTIALS)) {
    if (type === 'snmp_v2c' && !config.discoverySnmpv2cEnabled) {
      logins.notes.push(`the credential "${name}" is not used: SNMPv2c is off (DISCOVERY_SNMPV2C_ENABLED)`)
      continue
    }
    try {
      const credential = await openCredential(ctx, secrets, id)
      const ips = device_id === null ? [''] : await store.findAddresses(ctx, network.id, device_id)
      for (const ip of ips) {
        const snmp = toSnmpLogin(credential, ip)
        if (snmp) logins.snmp.push(snmp)
        else logins.ssh.push(toSshLogin(credential, ip))
      }
    } catch (error) {
      // Deleted a moment ago.
      if (error instanceof AppError && error.code === 'NOT_FOUND') continue
      if (!(error instanceof SealedValueError)) throw error
      logins.notes.push(`the credential "${name}" is not used: it cannot be decrypted`)
    }
  }
  return logins
}

type Wanted = {
  readonly scan: Pick<Scan, 'scan_type' | 'exclude_ips'>
  readonly user: ScanUser
  readonly network: Network
  readonly checkpoint: Checkpoint | null
  /** True for a scanner that receives no credentials. */
  readonly isWithoutLogins?: boolean
}

export const parseCheckpoint = (text: string): Checkpoint | null =>
  // The stored JSON was reported by a scanner.
  text === '' ? null : (JSON.parse(text) as Checkpoint)

export const planFor = async (
  ctx: Ctx,
  { scan, user, network, checkpoint, isWithoutLogins = false }: Wanted,
  tools: { readonly config: Config; readonly secrets: Secrets },
): Promise<Planned> => {
  const { config } = tools
  const hasLogins = scan.scan_type === 'deep' && !isWithoutLogins
  const { snmp, ssh, notes } = hasLogins
    ? await findLogins(ctx, { network, user }, tools)
    : { snmp: [], ssh: [], notes: [] }
  const plan: ScanPlan = {
    subnet: formatCidr(parseCidrOrThrow(network.subnet)),
    type: scan.scan_type,
    excludes: splitExcludes(scan.exclude_ips),
    ports: config.discoveryPorts,
    probesPerSecond: config.discoveryRatePerSecond,
    probeTimeoutMs: config.discoveryTimeoutMs,
    snmp,
    ssh,
    hostKeys: ssh.length > 0 ? await store.findPins(ctx, network.id) : {},
    fingerprintsFolder: config.discoveryFingerprintsDir,
    allowLocal: config.discoveryAllowLocal,
    checkpoint,
  }
  return { plan, notes }
}

/** Returns a filter of the addresses for which a deep scan has a login by SSH, as its plan has them. */
export const findLoginFilter = async (
  ctx: Ctx,
  { network, user }: Pick<Wanted, 'network' | 'user'>,
): Promise<(ip: string) => boolean> => {
  const { credentials } = await selectCredentials(ctx, user, await store.findCredentials(ctx, network.id))
  const ips = new Set<string>()
  for (const { type, device_id } of credentials.slice(0, MAX_CREDENTIALS)) {
    if (type === 'snmp_v2c' || type === 'snmp_v3') continue
    const own = device_id === null ? [''] : await store.findAddresses(ctx, network.id, device_id)
    for (const ip of own) ips.add(ip)
  }
  return buildLoginFilter(ips)
}

/** @param ips addresses with a login; an empty text stands for all */
export const buildLoginFilter =
  (ips: ReadonlySet<string>) =>
  (ip: string): boolean =>
    ips.has('') || ips.has(ip)
