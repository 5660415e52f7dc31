/** The discovery contract: scans, discovered devices, rules, and the inbox of differences from the documentation. Browser-safe. */
import { z } from 'zod'
import { IpAddress } from '../contract/fields/address-field.ts'
import { ALL, idOf, idOrAll, line, Page } from '../contract/fields/fields.ts'
import { Device } from '../inventory/devices/schema.ts'
import { operation } from '../kernel/operation.ts'
import {
  Clearing,
  createItemsSchema,
  InboxChoice,
  MAX_RECORD_BYTES,
  Promotion,
  PromotionOfMany,
  RuleDraft,
  RulePatch,
  ScanRecord,
  ScanRequest,
} from './inputs.ts'
import { createResultsSchema } from './results.ts'
import {
  Bucket,
  DiscoveredDetail,
  DiscoveredDevice,
  DiscoveredStatus,
  InboxItem,
  LocalNetworks,
  Rule,
  Scan,
  ScanDetail,
  ScanDiff,
  ScanEstimate,
  ScanStatus,
} from './schema.ts'

const OneScan = z.object({ id: idOf('scans') })

export const scans = {
  start: operation({
    name: 'scans.start',
    summary: 'Scan a network; a second one waits for the first',
    description:
      'With dry_run the answer is 200 with an estimate. Exclusions of its rule apply too. Unreachable address spaces are refused.',
    http: 'POST /api/discovery/networks/{id}/scan',
    status: 202,
    alsoAnswers: { 200: 'same' },
    effect: 'create',
    reachesOut: true,
    access: 'discovery:create',
    scope: 'checkWrite',
    inQuery: ['dry_run'],
    mcp: 'listed',
    cli: { command: 'discovery scan' },
    input: ScanRequest,
    output: () => z.union([Scan, ScanEstimate]),
  }),
  record: operation({
    name: 'scans.record',
    summary: 'Record the result of a scan by another scanner',
    description:
      'For networks that the server cannot reach: the results are stored like those of a scan by Plat, and nothing is sent. The scan must cover the whole network except its exclusions.',
    http: 'POST /api/discovery/networks/{id}/results',
    status: 201,
    effect: 'create',
    hasOwnTransactions: true,
    access: 'discovery:create',
    scope: 'checkWrite',
    maxBodyBytes: MAX_RECORD_BYTES,
    mcp: 'hidden',
    input: ScanRecord,
    output: Scan,
  }),
  list: operation({
    name: 'scans.list',
    summary: 'List scans, newest first',
    http: 'GET /api/discovery/scans',
    access: 'discovery:list',
    scope: 'filter',
    input: () => z.object({ network_id: idOf('networks').optional(), status: ScanStatus.optional(), ...Page }),
    output: () => z.array(Scan),
  }),
  get: operation({
    name: 'scans.get',
    summary: 'Show a scan with its progress and its log',
    http: 'GET /api/discovery/scans/{id}',
    access: 'discovery:read',
    scope: 'filter',
    input: OneScan,
    output: ScanDetail,
  }),
  cancel: operation({
    name: 'scans.cancel',
    summary: 'Stop a scan that waits or runs; its discovered devices stay',
    http: 'POST /api/discovery/scans/{id}/cancel',
    effect: 'action',
    // The permission to start a scan includes the permission to stop it.
    access: 'discovery:create',
    scope: 'checkWrite',
    input: OneScan,
    output: () => z.void(),
  }),
  delete: operation({
    name: 'scans.delete',
    summary: 'Delete a scan, which stops it if it runs; its discovered devices stay',
    http: 'DELETE /api/discovery/scans/{id}',
    access: 'discovery:delete',
    scope: 'checkWrite',
    input: OneScan,
    output: () => z.void(),
  }),
  diff: operation({
    name: 'scans.diff',
    summary: 'Show what is new, changed or gone since the completed scan before this one',
    http: 'GET /api/discovery/scans/{id}/diff',
    access: 'discovery:read',
    scope: 'filter',
    input: () =>
      z.object({
        id: idOf('scans'),
        limit: z.int().min(1).max(10_000).default(1000).describe('Most devices of each kind'),
      }),
    output: ScanDiff,
  }),
}

/** A row for each network. */
const listShownNetworks = (answer: unknown): unknown => (answer as LocalNetworks).networks

const OneDiscovered = z.object({ id: idOf('discovery') })

export const discovery = {
  list: operation({
    name: 'discovery.list',
    summary: 'List discovered devices of a network, or of all networks',
    http: 'GET /api/discovery/devices',
    access: 'discovery:list',
    scope: 'filter',
    mcp: 'listed',
    cli: { preset: { network_id: ALL } },
    input: () =>
      z.object({
        network_id: idOrAll('networks').describe('Id of a network, or * for all networks'),
        device_id: idOf('devices').optional().describe('Only those of this documented device'),
        status: DiscoveredStatus.optional(),
        promoted: z.boolean().optional().describe('Only promoted ones, or only the others'),
        q: line(256)
          .min(1)
          .optional()
          .describe('Words that must all be in the address, MAC, names, vendor, system or services'),
        ...Page,
      }),
    output: () => z.array(DiscoveredDevice),
  }),
  get: operation({
    name: 'discovery.get',
    summary: 'Show a discovered device with all that speaks for it',
    http: 'GET /api/discovery/devices/{id}',
    access: 'discovery:read',
    scope: 'filter',
    input: OneDiscovered,
    output: DiscoveredDetail,
  }),
  delete: operation({
    name: 'discovery.delete',
    summary: 'Delete a discovered device; the next scan may find it again',
    http: 'DELETE /api/discovery/devices/{id}',
    access: 'discovery:delete',
    scope: 'checkWrite',
    input: OneDiscovered,
    output: () => z.void(),
  }),
  removeMany: operation({
    name: 'discovery.delete-many',
    summary: 'Delete up to 1,000 discovered devices; the next scan may find them again',
    http: 'POST /api/discovery/devices/delete',
    effect: 'delete',
    isBulk: true,
    access: 'discovery:delete',
    scope: 'checkItems',
    cli: { args: ['ids'] },
    input: () => z.object({ ids: createItemsSchema(idOf('discovery')) }),
    output: () => createResultsSchema('deleted', {}),
  }),
  clear: operation({
    name: 'discovery.clear',
    summary: 'Delete all discovered devices of a network',
    http: 'DELETE /api/discovery/devices',
    access: 'discovery:delete',
    scope: 'checkWrite',
    cli: { args: ['network_id'] },
    input: Clearing,
    output: () => z.void(),
  }),
  promote: operation({
    name: 'discovery.promote',
    summary: 'Create a documented device from a discovered one',
    http: 'POST /api/discovery/devices/{id}/promote',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'discovery:update',
    scope: 'checkWrite',
    mcp: 'listed',
    cli: { args: ['id', 'name'] },
    input: Promotion,
    output: Device,
  }),
  promoteMany: operation({
    name: 'discovery.promote-many',
    summary: 'Document up to 1,000 discovered devices, named by a template',
    http: 'POST /api/discovery/devices/promote',
    effect: 'action',
    hasHistory: true,
    isBulk: true,
    access: 'discovery:update',
    scope: 'checkItems',
    cli: { args: ['ids'] },
    input: PromotionOfMany,
    output: () => createResultsSchema('promoted', { device: Device.optional() }),
  }),
  merge: operation({
    name: 'discovery.merge',
    summary: 'Say that other discovered devices are this one; they become its addresses',
    http: 'POST /api/discovery/devices/{id}/merge',
    effect: 'action',
    isBulk: true,
    access: 'discovery:update',
    scope: 'checkWrite',
    cli: { args: ['id', 'other_ids'] },
    input: () => z.object({ id: idOf('discovery'), other_ids: z.array(idOf('discovery')).min(1).max(63) }),
    output: DiscoveredDetail,
  }),
  split: operation({
    name: 'discovery.split',
    summary: 'Say that addresses of a discovered device are another one, which is then recognized by them',
    http: 'POST /api/discovery/devices/{id}/split',
    status: 201,
    effect: 'action',
    access: 'discovery:update',
    scope: 'checkWrite',
    cli: { args: ['id', 'ips'] },
    input: () => z.object({ id: idOf('discovery'), ips: z.array(IpAddress).min(1).max(64) }),
    output: DiscoveredDetail,
  }),
  localNetworks: operation({
    name: 'discovery.local-networks',
    summary: 'List the IPv4 networks that this server is in, to scan one of them',
    description:
      'Of the interfaces that are up, without loopback and link-local addresses. It also needs `networks:create`, and both permissions everywhere.',
    http: 'GET /api/discovery/local-networks',
    access: 'discovery:create',
    cli: { shown: listShownNetworks },
    input: () => z.object({}),
    output: LocalNetworks,
  }),
}

const OneRule = z.object({ id: idOf('discovery-rules') })

export const discoveryRules = {
  list: operation({
    name: 'discovery-rules.list',
    summary: 'List the rules by which networks are scanned by themselves',
    http: 'GET /api/discovery/rules',
    access: 'discovery:list',
    scope: 'filter',
    cli: { command: 'discovery rule list' },
    input: () => z.object({ network_id: idOf('networks').optional(), ...Page }),
    output: () => z.array(Rule),
  }),
  create: operation({
    name: 'discovery-rules.create',
    summary: 'Scan a network at an interval of hours; one rule a network',
    description: 'A deep scan uses the stored credentials that the user reaches who made the rule, or changed it last.',
    http: 'POST /api/discovery/rules',
    status: 201,
    effect: 'create',
    hasHistory: true,
    access: 'discovery:create',
    scope: 'checkWrite',
    cli: { command: 'discovery rule create', args: ['network_id'] },
    input: RuleDraft,
    output: Rule,
  }),
  get: operation({
    name: 'discovery-rules.get',
    summary: 'Show a rule',
    http: 'GET /api/discovery/rules/{id}',
    access: 'discovery:read',
    scope: 'filter',
    cli: { command: 'discovery rule get' },
    input: OneRule,
    output: Rule,
  }),
  update: operation({
    name: 'discovery-rules.update',
    summary: 'Change some fields of a rule; it takes effect at once',
    description: 'From then on its deep scans use the stored credentials that the caller reaches.',
    http: 'PUT /api/discovery/rules/{id}',
    hasHistory: true,
    access: 'discovery:update',
    scope: 'checkWrite',
    cli: { command: 'discovery rule update' },
    input: RulePatch,
    output: Rule,
  }),
  delete: operation({
    name: 'discovery-rules.delete',
    summary: 'Delete a rule',
    http: 'DELETE /api/discovery/rules/{id}',
    hasHistory: true,
    access: 'discovery:delete',
    scope: 'checkWrite',
    cli: { command: 'discovery rule delete' },
    input: OneRule,
    output: () => z.void(),
  }),
}

export const inbox = {
  list: operation({
    name: 'inbox.list',
    summary: 'List differences between discovered and documented devices',
    http: 'GET /api/discovery/inbox',
    access: 'discovery:list',
    scope: 'filter',
    shows: ['devices'],
    input: () =>
      z.object({
        bucket: Bucket.optional(),
        network_id: idOf('networks').optional(),
        ignored: z.boolean().default(false).describe('Those that are ignored, in place of those that are not'),
        ...Page,
      }),
    output: () => z.array(InboxItem),
  }),
  summary: operation({
    name: 'inbox.summary',
    summary: 'Count the items of the inbox',
    http: 'GET /api/discovery/inbox/summary',
    access: 'discovery:list',
    scope: 'filterEach',
    input: () => z.object({ network_id: idOf('networks').optional() }),
    output: () =>
      z
        .object({
          ...{ new: z.int(), changed: z.int(), gone: z.int(), conflict: z.int(), ignored: z.int() },
          inventory_conflicts: z
            .int()
            .nullable()
            .describe('Active conflicts of the inventory, of all networks; null if you may not list them'),
        })
        .meta({ id: 'InboxSummary' }),
  }),
  accept: operation({
    name: 'inbox.accept',
    summary: 'Accept observations into the documented devices',
    description:
      'Accepting a new item creates a device; a changed one writes the fields; a gone one decommissions the device; a conflict keeps the latest value.',
    http: 'POST /api/discovery/inbox/accept',
    effect: 'action',
    hasHistory: true,
    isBulk: true,
    access: 'discovery:update',
    scope: 'checkItems',
    input: () => z.object({ items: createItemsSchema(InboxChoice) }),
    output: () => createResultsSchema('accepted', { device_id: z.string().nullable().optional() }),
  }),
  ignore: operation({
    name: 'inbox.ignore',
    summary: 'Put items aside until something else about them differs',
    http: 'POST /api/discovery/inbox/ignore',
    effect: 'action',
    isBulk: true,
    access: 'discovery:update',
    scope: 'checkItems',
    cli: { args: ['ids'] },
    input: () => z.object({ ids: createItemsSchema(idOf('discovery')) }),
    output: () => createResultsSchema('ignored', {}),
  }),
  restore: operation({
    name: 'inbox.restore',
    summary: 'Put ignored items back',
    http: 'POST /api/discovery/inbox/restore',
    effect: 'action',
    isBulk: true,
    access: 'discovery:update',
    scope: 'checkItems',
    cli: { args: ['ids'] },
    input: () => z.object({ ids: createItemsSchema(idOf('discovery')) }),
    output: () => createResultsSchema('restored', {}),
  }),
}
