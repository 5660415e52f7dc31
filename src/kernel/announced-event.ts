/** Events that follow from no change of an object with a history, until the end of their transaction. */

export type AnnouncedEvent = {
  readonly name: string
  /** The id of the object that the event is about. */
  readonly resourceId: string
  /** JSON. */
  readonly data: string
}

/** `position` is the number of writes before the event, of objects that have a history. */
export type PlacedEvent = AnnouncedEvent & { readonly position: number }
