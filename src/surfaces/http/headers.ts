/** The headers of every response. */

const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
].join('; ')

/** Browser features that no page of Plat uses. */
const PERMISSIONS_POLICY = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': PERMISSIONS_POLICY,
} as const

/** One year. Subdomains are excluded: they may be other servers. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000'

export type SecurityHeaders = Readonly<Record<string, string>>

/** Secure cookies mean that browsers reach the server by https only. HSTS (RFC 6797) makes them continue to do so. */
export const getSecurityHeaders = ({ cookieSecure }: { readonly cookieSecure: boolean }): SecurityHeaders =>
  cookieSecure ? { ...SECURITY_HEADERS, 'Strict-Transport-Security': STRICT_TRANSPORT_SECURITY } : SECURITY_HEADERS

/** Clients may cache data of this service, but must revalidate it before each use. */
export const DATA_CACHE_CONTROL = 'private, no-cache'
