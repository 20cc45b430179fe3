// Draws a picture in each of its sizes.

import { pictureBytesMax, pictureSides } from './names.ts'

export async function shrunk(file: File): Promise<Blob[]> {
  const bitmap = await createImageBitmap(file)
  const longest = Math.max(bitmap.width, bitmap.height)
  const wanted = pictureSides.filter((side, at) => at === 0 || side < longest)
  const sizes: Blob[] = []
  for (const side of wanted) sizes.push(await drawn(bitmap, Math.min(1, side / longest)))
  bitmap.close()
  return sizes
}

// Encodes as JPEG if the browser cannot encode WebP, and lowers the quality until the file is small enough.
async function drawn(bitmap: ImageBitmap, scale: number): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  for (const quality of [0.85, 0.7, 0.5, 0.3])
    for (const kind of ['image/webp', 'image/jpeg']) {
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, kind, quality))
      if (blob?.type === kind && blob.size <= pictureBytesMax) return blob
    }
  throw new Error('the picture is too large to upload')
}
