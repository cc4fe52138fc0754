// A QR code as one path: one module is one unit of its view box.
import encodeQR from 'qr'

/** The light border that scanners need, in modules (ISO/IEC 18004, 6.3.8). */
const BORDER = 4
/** The side of a module in pixels: a camera reads smaller ones only from close up. */
const MODULE = 4

export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: BORDER })
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  const side = MODULE * rows.length
  return (
    <svg
      class="qr"
      width={side}
      height={side}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path d={path} />
    </svg>
  )
}
