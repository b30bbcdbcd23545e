@echo off
node "%~dp0provider.js" %*
