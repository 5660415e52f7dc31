/** The contract of reports: lists of objects that need attention. Browser-safe. */
import { z } from 'zod'
import { idOf, Key, Page, Timestamp } from '../../contract/fields/fields.ts'
import { operation, rawRoute } from '../../kernel/operation.ts'

export const FINDING_RESOURCES = ['device', 'discovered', 'network', 'pool', 'reservation'] as const

export const Finding = z
  .object({
    id: z.string().describe('Of the report and its object: the same as long as the finding lasts'),
    resource: z.enum(FINDING_RESOURCES),
    resource_id: z.string(),
    name: z.string().describe('Of a discovered device its host name, else its address'),
    ip_address: z.string(),
    mac_address: z.string(),
    network_id: z.string().nullable(),
    datacenter_id: z.string().nullable().describe('Its own, else that of its network'),
    message: z.string().describe('What is wrong, in one line'),
    since: Timestamp.nullable(),
    value: z.number().nullable().describe('The number of the report, such as percent or days; null without one'),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Finding', columns: ['resource', 'name', 'ip_address', 'message', 'since', 'value', 'resource_id'] })
export type Finding = z.infer<typeof Finding>

/** The fields of a finding in the order of its files. */
export const FINDING_FIELDS = [
  ...(['id', 'resource', 'resource_id', 'name', 'ip_address', 'mac_address'] as const),
  ...(['network_id', 'datacenter_id', 'message', 'since', 'value', 'details'] as const),
] as const satisfies readonly (keyof Finding)[]

export const PARAMETERS = ['days', 'min', 'network_id', 'datacenter_id'] as const
export type Parameter = (typeof PARAMETERS)[number]

export const ReportSummary = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    count: z.int().describe('The findings with the default parameters; at most 10 seconds old'),
    days: z.int().nullable().describe('The default of the parameter; null for a report without it'),
    uses: z.array(z.enum(PARAMETERS)).describe('The parameters that change its findings'),
  })
  .meta({ id: 'ReportSummary', columns: ['name', 'title', 'count', 'days', 'description'] })
export type ReportSummary = z.infer<typeof ReportSummary>

/** A report on the first page. */
export const ReportCount = z.object({ name: z.string(), title: z.string(), count: z.int() })
export type ReportCount = z.infer<typeof ReportCount>

export const MAX_DAYS = 3650

const parameters = {
  days: z
    .int()
    .min(0)
    .max(MAX_DAYS)
    .optional()
    .describe('The age in days from which on it is a finding; 0: by the last scan'),
  min: z.number().min(0).max(100).optional().describe('Percent; POOL_UTILIZATION_THRESHOLD, where absent'),
  network_id: idOf('networks').optional(),
  datacenter_id: idOf('datacenters').optional().describe('This one and all below it'),
}

export const ExportQuery = z.object({ format: z.enum(['csv', 'json']).default('csv'), ...parameters })

const name = Key.describe('The name of a report, as the list of reports has it: ghosts, shadows, full-pools ...')

export const reports = {
  list: operation({
    name: 'reports.list',
    summary: 'List the reports, with the number of their findings',
    description: 'Reports of objects that you may not list are left out.',
    http: 'GET /api/reports',
    access: 'reports:read',
    scope: 'filterEach',
    input: () => z.object({ ...Page }),
    output: () => z.array(ReportSummary),
  }),
  show: operation({
    name: 'reports.show',
    summary: 'List the findings of a report',
    description:
      'Ordered by `since`, oldest first, those without it first, then by name. A report ignores the parameters that it does not use.',
    http: 'GET /api/reports/{name}',
    access: 'reports:read',
    scope: 'filterEach',
    input: () => z.object({ name, ...parameters, ...Page }),
    output: () => z.array(Finding),
  }),
}

export const reportRoutes = {
  export: rawRoute({
    name: 'reports.export',
    readsOnce: true,
    summary: 'Download the findings of a report, as CSV or JSON',
    http: 'GET /api/reports/{name}/export',
    access: 'reports:read',
    scope: 'filterEach',
    isLong: true,
    query: ExportQuery,
    output: z.array(Finding),
    alsoProduces: 'text/csv',
  }),
}
