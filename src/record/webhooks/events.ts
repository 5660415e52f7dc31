/** The event of webhooks. */
declare module '../../kernel/events.ts' {
  interface Events {
    /** Deliveries are due. */
    'webhook-delivery.queued': undefined
  }
}
