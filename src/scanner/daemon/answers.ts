/** Reads the answers of the server. Unknown fields are ignored, and later fields have defaults. */
import { z } from 'zod'
import type { ScanPlan } from '../protocol.ts'
import type { EnrolAnswer, PollAnswer, SealedLogins } from '../wire.ts'
import { SAFE_NAME } from './spool-files.ts'

/** The scanner process checks the rest of a plan. */
const isPlan = (value: unknown): boolean =>
  z.looseObject({ subnet: z.string(), type: z.string(), ports: z.array(z.number()) }).safeParse(value).success

/** A part of a file name, too. */
const name = z.string().regex(SAFE_NAME)

const Enrolled = z.object({
  id: z.string().min(1),
  name: z.string().default(''),
  token: z.string().min(1),
  server_version: z.string().default(''),
})

const Polled = z.object({
  start: z
    .array(
      z.object({
        scan_id: name,
        lease: name,
        network_id: z.string().default(''),
        network_name: z.string().default(''),
        plan: z.custom<ScanPlan>(isPlan),
        sealed: z
          .object({ epk: z.string(), iv: z.string(), body: z.string() } satisfies Record<
            keyof SealedLogins,
            z.ZodString
          >)
          .nullish()
          .transform((sealed) => sealed ?? null),
      }),
    )
    .default([]),
  cancel: z.array(z.string()).default([]),
  drop: z.array(z.string()).default([]),
  listen: z
    .array(z.object({ network_id: z.string(), subnet: z.string(), excludes: z.array(z.string()).default([]) }))
    .default([]),
  listen_tag: z.string().default(''),
  server_version: z.string().default(''),
})

/** @returns undefined for an answer of another program */
export const readEnrolAnswer = (body: unknown): EnrolAnswer | undefined => Enrolled.safeParse(body).data
export const readPollAnswer = (body: unknown): PollAnswer | undefined => Polled.safeParse(body).data
