/** An end of a cable: a side of a port, as it is sent. Browser-safe. */
import { z } from 'zod'

export const Side = z.enum(['front', 'rear'])
export type Side = z.infer<typeof Side>

/** The side of a pass-through port to which a cable at one side leads on. */
export const OTHER_SIDE: Readonly<Record<Side, Side>> = { front: 'rear', rear: 'front' }

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
