/** Where a scan is, so that another process can go on from there. Small: a /16 takes 11 KiB. */
import { z } from 'zod'
import { type Checkpoint, STAGES, type Stage } from './protocol.ts'
import type { Bitset } from './sys/bitset.ts'

export type Position = {
  readonly stage: Stage
  /** Which of the sweeps of the stage; they have names, because another process may be able to do others. */
  readonly sweep: string
  readonly pass: number
  /** In the first stage the place in the order, in the others the lowest host that is not done. */
  readonly place: number
}

export const START: Position = { stage: 'liveness', sweep: '', pass: 0, place: 0 }

export type Saved = { readonly position: Position; readonly scanned: number; readonly told: Uint8Array }

const count = z.number().int().min(0)
const Stored = z.object({
  version: z.literal(1),
  subnet: z.string(),
  stage: z.enum(STAGES),
  sweep: z.string().max(32),
  pass: count.max(1000),
  place: count.max(65_536),
  scanned: count,
  told: z.base64().max(16_384),
})

export const buildCheckpoint = (
  subnet: string,
  { position, scanned, told }: Omit<Saved, 'told'> & { told: Bitset },
): Checkpoint =>
  ({
    version: 1,
    subnet,
    ...position,
    scanned,
    told: Buffer.from(told.bytes).toString('base64'),
  }) satisfies z.infer<typeof Stored>

/** @returns undefined for a checkpoint of another scan or program version: then the scan starts over */
export const readCheckpoint = (subnet: string, checkpoint: Checkpoint | null): Saved | undefined => {
  const { success, data } = Stored.safeParse(checkpoint)
  if (!success || data.subnet !== subnet) return undefined
  const { stage, sweep, pass, place, scanned, told } = data
  return { position: { stage, sweep, pass, place }, scanned, told: Buffer.from(told, 'base64') }
}
