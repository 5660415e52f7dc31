/** The contract of leases: the lease file of a DHCP server as evidence of hosts. Browser-safe. */
import { z } from 'zod'
import { SpaceId } from '../../inventory/spaces/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { LEASE_FORMATS } from '../../net/leases/lease.ts'

export const MAX_LEASES_BYTES = 16 * 1024 * 1024
/** Most addresses of one call. */
export const MAX_LEASES = 100_000
/** Most errors of an answer. */
export const MAX_LEASE_ERRORS = 20

export const LeaseFormatName = z
  .enum(['auto', ...LEASE_FORMATS])
  .describe(
    'auto: by the text; kea-csv: the lease file of Kea (memfile); kea-json: the answer to lease4-get-all or lease6-get-all, or its list; dnsmasq: dnsmasq.leases; isc: dhcpd.leases',
  )
export type LeaseFormatName = z.infer<typeof LeaseFormatName>

export const LeasesInput = z.object({
  format: LeaseFormatName.default('auto'),
  text: z
    .string()
    .min(1)
    .max(MAX_LEASES_BYTES)
    .meta({ examples: ['1893456000 52:54:00:aa:bb:cc 10.0.0.5 laptop *'] })
    .describe('The content of the file, or the answer of the server'),
  space_id: SpaceId.optional().describe('The address space of the leases; absent or `default` for the default one'),
})

const counts = {
  leases: z.int().describe('Addresses; of several leases of an address the last one counts'),
  active: z.int().describe('Leases in force'),
  new: z.int().describe('Active leases of which a discovered device was made'),
  updated: z.int().describe('Active leases of a discovered device that was known'),
  expired: z.int().describe('Leases that are over, released or free; they change nothing'),
  unplaced: z.int().describe('Active leases of an address in no network; they change nothing'),
}

export const LeasesRecorded = z
  .object({
    ...counts,
    errors: z
      .array(z.object({ line: z.int(), message: z.string() }).meta({ id: 'LeaseError' }))
      .describe(`Lines that are no valid lease; at most ${MAX_LEASE_ERRORS}`),
  })
  .meta({ id: 'LeasesRecorded' })
export type LeasesRecorded = z.infer<typeof LeasesRecorded>

export const leases = {
  record: operation({
    name: 'leases.record',
    summary: 'Record the leases of a DHCP server as discovered devices',
    description:
      'Each lease in force makes or refreshes the discovered device with its address, MAC and host name. Nothing is set down, and a device that is known by leases alone is not new in the inbox.',
    http: 'POST /api/discovery/leases',
    effect: 'create',
    hasOwnTransactions: true,
    isLong: true,
    access: 'discovery:create',
    maxBodyBytes: MAX_LEASES_BYTES,
    cli: { command: 'discovery leases', args: ['text'] },
    input: LeasesInput,
    output: LeasesRecorded,
    recorded: () => z.object({ format: LeaseFormatName, space_id: z.string().nullable().optional(), ...counts }),
    recordsOutput: Object.keys(counts),
  }),
}
