import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The origin of this page must be in the service's CORS_ORIGINS, so the port does not move.
export default defineConfig({
  plugins: [react()],
  server: { port: 5173, strictPort: true },
  preview: { port: 5173, strictPort: true },
});
