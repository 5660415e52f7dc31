/** A plat: land, divided into lots. */
export const Logo = ({ size }: { readonly size: number }) => (
  <svg width={size} height={size} viewBox="0 0 20 20" fill="var(--accent)" aria-hidden="true">
    <rect x="1.5" y="1.5" width="7.5" height="7.5" rx="2" />
    <rect x="11" y="1.5" width="7.5" height="7.5" rx="2" opacity="0.45" />
    <rect x="1.5" y="11" width="7.5" height="7.5" rx="2" opacity="0.45" />
    <rect x="11" y="11" width="7.5" height="7.5" rx="2" />
  </svg>
)
