/** The pages of the screenshots, each with content. For e2e/shots.ts and e2e/guide.ts. */
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../scripts/server-binaries.mjs'
import { type Receiver, startReceiver } from '../testing/receiver.ts'
import { PEOPLE, seedAccess } from './access-seed.ts'
import { SEALED, seedDuplicate, seedOverlap, seedWebhooks } from './automation-seed.ts'
import { seedCabling } from './cabling-seed.ts'
import { DISCOVERY, seedDiscovery, startHosts } from './discovery-seed.ts'
import { DNS, seedDns } from './dns-seed.ts'
import { OAUTH, seedPrograms } from './oauth-client.ts'
import { seedScanner } from './scanner-seed.ts'
import { type RunningPlat, startPlat } from './server.ts'
import { SOURCES, seedSource, startCluster } from './source-seed.ts'

export type Shot = readonly [name: string, path: string]

export type Estate = RunningPlat & { readonly receiver: Receiver; readonly clusterUrl: string }

/** Includes hosts to discover and a receiver of webhooks. Both end with it. */
export const startEstate = async (devices: number): Promise<Estate> => {
  const endHosts = await startHosts()
  const receiver = await startReceiver()
  const cluster = startCluster()
  const env = { ...PEOPLE, ...DISCOVERY, ...SEALED, ...OAUTH, ...DNS, ...SOURCES }
  const plat = await startPlat({ devices, env, outbound: receiver.outbound })
  const stop = async () => {
    await plat.stop()
    await cluster.stop(true)
    await receiver.close()
    await endHosts()
  }
  return { ...plat, receiver, clusterUrl: cluster.url.origin, stop }
}

/** Starts a browser that renders alike on all machines. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: ['--disable-gpu', '--no-sandbox', '--force-color-profile=srgb', '--disable-lcd-text'],
  })

export const settle = async (page: Page): Promise<void> => {
  await page.locator('h1, h2').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
}

/** Returns the device with the most relationships. */
const hubOf = async ({ api }: RunningPlat): Promise<string> => {
  const counts = new Map<string, number>()
  for (const { parent_id } of await api.relationships.all()) counts.set(parent_id, (counts.get(parent_id) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? ''
}

const REPORT = {
  media_type: 'text/csv',
  template: 'name,address\n{% for device in devices -%}\n{{ device.name }},{{ device.main.ip }}\n{% endfor -%}\n',
} as const

export const shotPages = async (plat: Estate): Promise<readonly Shot[]> => {
  const ids = await seedAccess(plat)
  const lab = await seedDiscovery(plat)
  const programs = await seedPrograms(plat)
  const hooks = await seedWebhooks(plat.api, plat.receiver)
  const duplicate = await seedDuplicate(plat.api, '10.0.0.250', 'fra1-r01-db')
  const overlap = await seedOverlap(plat.api, '198.51.100.0/24')
  const vip = await seedDuplicate(plat.api, '10.0.0.251', 'fra1-r01-lb')
  await plat.api.conflicts.ignore({ id: vip.conflict, notes: 'Anycast, announced by both' })
  await plat.api.feeds.create({
    id: 'prometheus',
    name: 'Targets',
    format: 'prometheus',
    port: 9100,
    tags: ['production'],
  })
  await plat.api.feeds.create({ id: 'dhcp', name: 'Reservations of the lab', format: 'dnsmasq' })
  await plat.api.feeds.create({ id: 'report', name: 'Report', format: 'template', ...REPORT })
  await plat.api.keys.create({ name: 'prometheus-1', feed_id: 'prometheus' })
  const ofDevices = { resource: 'devices', group: 'Asset' } as const
  await plat.api.customFields.create({ ...ofDevices, name: 'owner', label: 'Owner', type: 'text', group: '' })
  await plat.api.customFields.create({ ...ofDevices, name: 'warranty', label: 'Warranty until', type: 'date' })
  await plat.api.customFields.create({ ...ofDevices, name: 'leased', label: 'Leased', type: 'boolean', position: 1 })
  const dns = await seedDns(plat.api)
  const cabling = await seedCabling(plat.api)
  const scanner = await seedScanner(plat, { name: 'oslo', tags: ['branch'], links: ['10.9.0.0/24', '10.9.8.0/24'] })
  await plat.api.scanners.create({ name: 'bergen', tags: ['branch'] })
  const branch = await plat.api.networks.create({ name: 'branch', subnet: '10.9.0.0/24', scanner: 'oslo' })
  const source = await seedSource(plat, plat.clusterUrl)
  const [told] = await plat.api.webhooks.deliveries({ id: hooks.good, event: 'device.updated' })
  const [[device], [network], [pool], [datacenter], hub] = await Promise.all([
    plat.api.devices.list({ limit: 1, tags: ['production'] }),
    plat.api.networks.list({ limit: 1, name: 'row' }),
    plat.api.pools.all({ limit: 1, name: 'servers' }),
    plat.api.datacenters.list({ limit: 1 }),
    hubOf(plat),
  ])
  const [change] = await plat.api.history.list({ limit: 1, kind: 'network' })
  const wide = await plat.api.networks.create({ name: 'lab', subnet: '2001:db8:77::/64' })
  const range = { start_ip: '2001:db8:77::1', end_ip: '2001:db8:77::ffff:ffff' }
  const large = await plat.api.pools.create({ network_id: wide.id, name: 'lab', ...range })
  return [
    ['overview', '/'],
    ['devices', '/devices?q=tag:production+-status:planned'],
    ['devices-none', '/devices?q=nothing-like-this'],
    ['device-new', '/devices?new=1'],
    ['device-edit', `/devices/${device?.id}?edit=${device?.id}`],
    ['device', `/devices/${device?.id}`],
    ['device-addresses', `/devices/${device?.id}?tab=addresses`],
    ['device-relationships', `/devices/${hub}?tab=relationships`],
    ['device-history', `/devices/${device?.id}?tab=history`],
    ['changes', '/history'],
    ['change', `/history/${change?.id}`],
    ['moments', `/history/diff?from=${change?.id}`],
    ['device-past', `/devices/${device?.id}?as_of=${change?.id}`],
    ['no-past', `/scans?as_of=${change?.id}`],
    ['ports', `/devices/${cabling.device}?tab=ports`],
    ['ports-grid', `/devices/${cabling.device}?tab=ports&view=grid`],
    ['ports-add', `/devices/${cabling.device}?tab=ports&new=ports`],
    ['ports-connect', `/devices/${cabling.device}?tab=ports&new=cable`],
    ['port', `/ports/${cabling.port}`],
    ['cables', '/cables'],
    ['cable', `/cables?edit=${cabling.cable}`],
    ['topology-cables', `/topology?focus=${cabling.device}`],
    ['topology', '/topology'],
    ['topology-focus', `/topology?focus=${hub}`],
    ['topology-impact', `/topology?focus=${hub}&view=impact`],
    ['topology-what-if', `/topology?impact=${hub}`],
    ['topology-table', `/topology?focus=${hub}&tab=table`],
    ['networks', '/networks'],
    ['networks-flat', '/networks?view=flat'],
    ['network', `/networks/${network?.id}`],
    ['network-addresses', `/networks/${network?.id}?tab=addresses`],
    ['network-usage', `/networks/${network?.id}?tab=usage`],
    ['network-pools', `/networks/${network?.id}?tab=pools`],
    ['network-devices', `/networks/${network?.id}?tab=devices`],
    ['network-edit', `/networks/${network?.id}?edit=${network?.id}`],
    ['pools', '/pools'],
    ['pool', `/pools/${pool?.id}`],
    ['pool-usage', `/pools/${pool?.id}?tab=usage`],
    ['pool-large', `/pools/${large.id}`],
    ['sources', '/sources'],
    ['source-new', '/sources?new=proxmox'],
    ['source', `/sources/${source}`],
    ['source-objects', `/sources/${source}?tab=objects`],
    ['source-settings', `/sources/${source}?tab=settings`],
    ['reservations', '/reservations'],
    ['datacenters', '/datacenters'],
    ['datacenter', `/datacenters/${datacenter?.id}`],
    ['datacenter-networks', `/datacenters/${datacenter?.id}?tab=networks`],
    ['custom-fields', '/custom-fields'],
    ['custom-field-new', '/custom-fields?new=1'],
    ['import', '/import'],
    ['scans', '/scans'],
    ['scan-new', `/scans?new=1&network=${lab.large}`],
    ['scan', `/scans/${lab.scan}`],
    ['scan-differences', `/scans/${lab.scan}?tab=diff`],
    ['scan-log', `/scans/${lab.scan}?tab=log`],
    ['discovered-devices', `/discovered-devices?network=${lab.network}`],
    ['evidence', `/discovered-devices?entry=${lab.discovered}`],
    ['inbox', '/inbox'],
    ['inbox-changed', '/inbox?tab=changed'],
    ['rules', '/rules'],
    ['rule-new', '/rules?new=1'],
    ['scanners', '/scanners'],
    ['scanner', `/scanners/${scanner}`],
    ['scanner-networks', `/scanners/${scanner}?tab=networks`],
    ['scanner-new', '/scanners?new=1'],
    ['network-scanner', `/networks/${branch.id}?tab=discovery`],
    ['network-discovery', `/networks/${lab.network}?tab=discovery`],
    ['device-seen', `/devices/${lab.device}`],
    ['users', '/users'],
    ['user', `/users/${ids.user}`],
    ['user-permissions', `/users/${ids.user}?tab=permissions`],
    ['user-access', `/users/${ids.user}?tab=access`],
    ['user-new', '/users?new=1'],
    ['groups', '/groups'],
    ['group', `/groups/${ids.group}`],
    ['group-members', `/groups/${ids.group}?tab=members`],
    ['group-new', '/groups?new=1'],
    ['scopes', '/scopes'],
    ['scope', `/scopes/${ids.scope}`],
    ['scope-edit', `/scopes/${ids.scope}?edit=${ids.scope}`],
    ['roles', '/roles'],
    ['role', `/roles/${ids.role}`],
    ['role-edit', `/roles/${ids.role}?edit=${ids.role}`],
    ['keys', '/keys'],
    ['credentials', '/credentials'],
    ['credential', `/credentials?edit=${ids.credential}`],
    ['conflicts', '/conflicts'],
    ['conflicts-ignored', '/conflicts?tab=ignored'],
    ['conflicts-none', '/conflicts?tab=resolved'],
    ['reports', '/reports'],
    ['report', '/reports/unscanned-networks'],
    ['conflict', `/conflicts?entry=${duplicate.conflict}`],
    ['conflict-networks', `/conflicts?entry=${overlap.conflict}`],
    ['device-conflict', `/devices/${duplicate.devices[0]}`],
    ['devices-conflict', '/devices?q=fra1-r01-db'],
    ['network-conflict', `/networks/${overlap.network}`],
    ['webhooks', '/webhooks'],
    ['webhook', `/webhooks/${hooks.good}`],
    ['webhook-failed', `/webhooks/${hooks.broken}`],
    ['webhook-gone', `/webhooks/${hooks.gone}?tab=about`],
    ['webhook-verify', `/webhooks/${hooks.good}?tab=verify`],
    ['webhook-delivery', `/webhooks/${hooks.good}?entry=${told?.id}`],
    ['webhook-new', '/webhooks?new=1'],
    ['webhook-channel', `/webhooks/${hooks.channel}`],
    ['webhook-channel-edit', `/webhooks/${hooks.channel}?edit=${hooks.channel}`],
    ['webhook-edit', `/webhooks/${hooks.good}?edit=${hooks.good}`],
    ['feeds', '/feeds'],
    ['feed', '/feeds/prometheus'],
    ['feed-skipped', '/feeds/dhcp'],
    ['feed-template', '/feeds/report'],
    ['feed-use', '/feeds/prometheus?tab=use'],
    ['feed-new', '/feeds?new=1'],
    ['dns', '/dns'],
    ['dns-servers', '/dns?tab=servers'],
    ['dns-server', `/dns?tab=servers&edit=${dns.server}`],
    ['dns-zone-new', '/dns?new=1'],
    ['dns-rrsets', `/dns/${dns.zone}`],
    ['dns-rrset', `/dns/${dns.zone}?entry=twice+A`],
    ['dns-records', `/dns/${dns.zone}?tab=records`],
    ['dns-record-new', `/dns/${dns.zone}?tab=records&new=1`],
    ['dns-drift', `/dns/${dns.watched}?tab=drift`],
    ['dns-file', `/dns/${dns.zone}?tab=file`],
    ['dns-settings', `/dns/${dns.zone}?tab=settings`],
    ['dns-device', `/devices/${dns.device}`],
    ['audit', '/audit'],
    ['audit-entry', `/audit?entry=${ids.entry}`],
    ['oauth-clients', '/oauth'],
    ['oauth-client', `/oauth?entry=${programs.client}`],
    ['connect', '/connect'],
    ['connect-key', '/connect?view=key&tab=claude-desktop'],
    ['consent', programs.ask],
    ['consent-local', programs.askLocal],
    ['consent-refused', '/mcp-oauth/authorize?client_id=nobody'],
    ['account', '/account'],
    ['not-found', '/nowhere'],
  ]
}
