/**
 * Events between features, inside a transaction. The feature that emits an event declares its name and its payload:
 *
 *     declare module './events.ts' {
 *       interface Events {
 *         'datacenter.deleted': Datacenter
 *       }
 *     }
 */

/** The payload of each event by its name; `undefined` for an event without one. */
// biome-ignore lint/suspicious/noEmptyInterface: features extend it.
export interface Events {}

type Arguments<Payload> = [Payload] extends [undefined] ? [] : [data: Payload]

/** Emits an event. */
export type Emit = <E extends keyof Events>(event: E, ...data: Arguments<Events[E]>) => Promise<void>

/** The responses of a feature to events of other features, in the same transaction. */
export type Reactions<Ctx> = {
  readonly [E in keyof Events]?: (ctx: Ctx, data: Events[E]) => Promise<void>
}

/** Returns true if one of the events is among those of a commit. @param emitted also of another instance, perhaps of another version */
export const hasEvent = (emitted: readonly string[], ...events: readonly (keyof Events)[]): boolean =>
  events.some((event) => emitted.includes(event))
