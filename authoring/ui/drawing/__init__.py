"""What foreign text and data become before a browser draws them: outputs, differences, plots of columns."""
