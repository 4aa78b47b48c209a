"""leaves"""
