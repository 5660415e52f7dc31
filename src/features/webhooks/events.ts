/** The event of webhooks. */
declare module '../../platform/operation/events.ts' {
  interface Events {
    /** Deliveries are due. */
    'webhook-delivery.queued': undefined
  }
}
