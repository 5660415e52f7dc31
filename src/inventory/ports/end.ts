/** An end of a cable: a side of a port, as it is sent. Browser-safe. */
import { z } from 'zod'

export const Side = z.enum(['front', 'rear'])
export type Side = z.infer<typeof Side>

export const End = z
  .object({
    device_id: z.string(),
    device: z.string().describe('The name of the device'),
    port_id: z.string(),
    port: z.string().describe('The name of the port'),
    side: Side,
  })
  .meta({ id: 'CableEnd' })
export type End = z.infer<typeof End>
